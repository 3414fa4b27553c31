// A cluster from its profile: the same as ../yaml, checked by the compiler.
package main

import (
	"example.com/pulumi-bedplate/sdk/go/bedplate" // as `pulumi package add ../package` generates it
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		rails := pulumi.ToStringArray([]string{"rail0", "rail1", "rail2", "rail3", "rail4", "rail5", "rail6", "rail7"})
		profile := bedplate.ProfileArgs{
			Name:              pulumi.String("lab"),
			Platform:          bedplate.ProfilePlatformKubeadm,
			KubernetesVersion: pulumi.String("1.35"),
			Context:           pulumi.String(config.Require(ctx, "context")), // nothing is deployed with any other
			DriverOwner:       bedplate.ProfileDriverOwnerOperator,
			GpuDirect:         bedplate.ProfileGpuDirectDmabuf,
			Pools: bedplate.PoolArray{
				bedplate.PoolArgs{
					Name:  pulumi.String("system"),
					Shape: bedplate.ShapeArgs{Cpus: pulumi.Int(8), MemoryGib: pulumi.Int(32)},
					Nodes: pulumi.Int(1),
				},
				bedplate.PoolArgs{Name: pulumi.String("h100"), Shape: pulumi.String("dgx-h100"), Nodes: pulumi.Int(2)},
			},
			Fabric: bedplate.RoceArgs{
				Kind:     pulumi.String("roce"),
				Exposure: bedplate.RoceExposureShared,
				Rails:    rails,
				Ipam:     bedplate.IpamArgs{Kind: bedplate.IpamKind_Nv_Ipam, Network: pulumi.String("10.64.0.0/16")},
			},
			Tenancy: bedplate.TenancySectionArgs{
				Teams: bedplate.TeamArray{bedplate.TeamArgs{Name: pulumi.String("research")}},
			},
			Nfd:             bedplate.NodeFeatureDiscoverySectionArgs{},
			NetworkOperator: bedplate.NetworkOperatorSectionArgs{ReadyTimeout: pulumi.Int(300)},
			GpuOperator:     bedplate.GpuOperatorSectionArgs{ReadyTimeout: pulumi.Int(300)},
		}
		if mirror := config.Get(ctx, "mirror"); mirror != "" {
			profile.Charts = bedplate.ChartsArgs{Mirror: pulumi.String(mirror)} // a folder or a registry of the site's own
		}
		cluster, err := bedplate.NewCluster(ctx, "cluster", &bedplate.ClusterArgs{Profile: profile})
		if err != nil {
			return err
		}
		ctx.Export("workloadContract", cluster.WorkloadContract)
		return nil
	})
}
